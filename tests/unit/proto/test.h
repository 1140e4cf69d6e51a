/* Seeded entropy, and a directory to write in. */
#ifndef LS_PROTO_TEST_H
#define LS_PROTO_TEST_H

#include "tests/support/directory.h"
#include "tests/support/seeded_entropy.h"

#include <sys/stat.h>
#include <unistd.h>

#endif
