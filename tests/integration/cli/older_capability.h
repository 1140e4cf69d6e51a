/* Included before each source of lockstep_older: a build from before the capability FOLLOW. */
#ifndef LS_OLDER_CAPABILITY_H
#define LS_OLDER_CAPABILITY_H

#include <lockstep/carrier.h>

#undef LS_SESSION_CAPABILITIES
#define LS_SESSION_CAPABILITIES (LS_LINK_CAPABILITIES | LS_CAPABILITY_SAY)

#endif
