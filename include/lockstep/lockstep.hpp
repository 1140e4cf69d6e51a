/* Lockstep for C++17 and later: typed components, terms and spans for a simulation, and owners of
 * worlds, sessions and recordings for a program. All of it is inline and costs what the C call
 * costs; nothing throws. A function that can fail returns ls_status and takes an ls_error. */
#ifndef LS_LOCKSTEP_HPP
#define LS_LOCKSTEP_HPP

#include <lockstep/change.hpp>
#include <lockstep/lockstep.h>
#include <lockstep/recording.hpp>
#include <lockstep/session.hpp>
#include <lockstep/sim.hpp>
#include <lockstep/whole_world.hpp>
#include <lockstep/world.hpp>
#include <lockstep/world_read.hpp>

#endif
