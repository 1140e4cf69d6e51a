/* Lockstep for C++17 and later: tables of systems, modules and simulations, and owners of worlds,
 * sessions and recordings for a program. A system uses its terms by the macros of C, such as
 * LS_WRITE (include/lockstep/uses.h), whose types the compiler checks. All of it is inline and
 * costs what the C call costs; nothing throws. A function that can fail returns ls_status and takes
 * an ls_error. */
#ifndef LS_LOCKSTEP_HPP
#define LS_LOCKSTEP_HPP

#include <lockstep/cells.hpp>
#include <lockstep/lockstep.h>
#include <lockstep/recording.hpp>
#include <lockstep/session.hpp>
#include <lockstep/sim.hpp>
#include <lockstep/world.hpp>
#include <lockstep/world_read.hpp>

#endif
