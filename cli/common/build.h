/* The identity of this binary. It is sent to the other side and written into recordings, but never
 * compared. */
#ifndef LS_CLI_BUILD_H
#define LS_CLI_BUILD_H

#include "core/base/platform_cpu.h"

#define LS_BUILD_VERSION LOCKSTEP_VERSION /* set by project() in CMakeLists.txt */

#if defined(__clang__)
#define LS_BUILD_COMPILER "clang " __clang_version__
#else
#define LS_BUILD_COMPILER "gcc " __VERSION__
#endif

#define LS_BUILD_TEXT "lockstep " LS_BUILD_VERSION ", " LS_BUILD_COMPILER ", " LS_CPU_NAME

#endif
