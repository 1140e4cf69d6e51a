/* Included before each source of lockstep_newer: makes a build that knows one
 * capability more. */
#ifndef LS_NEWER_CAPABILITY_H
#define LS_NEWER_CAPABILITY_H

#include <lockstep/carrier.h>

#undef LS_SESSION_CAPABILITIES
#define LS_SESSION_CAPABILITIES                                                                    \
    (LS_LINK_CAPABILITIES | LS_CAPABILITY_SAY | LS_CAPABILITY_FOLLOW | LS_CAPABILITY_REPORT |      \
     UINT32_C(1) << 31)

#endif
