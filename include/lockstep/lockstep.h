/* Includes everything for a simulation, and for a program that runs one. */
#ifndef LS_LOCKSTEP_H
#define LS_LOCKSTEP_H

#include <lockstep/bundle.h>
#include <lockstep/executor.h>
#include <lockstep/fix3.h>
#include <lockstep/items.h>
#include <lockstep/partner.h>
#include <lockstep/prefab.h>
#include <lockstep/program.h>
#include <lockstep/random.h>
#include <lockstep/sim.h>
#include <lockstep/states.h>
#include <lockstep/uses.h>
#include <lockstep/whole_world.h>
#include <lockstep/world.h>
#include <lockstep/world_run.h>

#endif
