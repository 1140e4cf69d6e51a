/* Everything that a simulation or a program that runs one includes. */
#ifndef LS_LOCKSTEP_H
#define LS_LOCKSTEP_H

#include "core/executor.h"
#include "core/fix2.h"
#include "core/items.h"
#include "core/program.h"
#include "core/random.h"
#include "core/sim.h"
#include "core/typed.h"
#include "core/world.h"

#endif
