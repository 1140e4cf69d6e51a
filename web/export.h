/* How the modules of this folder export functions. */
#ifndef LS_WEB_EXPORT_H
#define LS_WEB_EXPORT_H

#include <lockstep/base.h>

#define LS_WEB_EXPORT(name) __attribute__((export_name(#name)))

enum {
    LS_WEB_TERMS = 3,           /* columns in one call of rows() */
    LS_WEB_TICKS_MAX = 1 << 16, /* ticks whose inputs, or events, are counted */
};

#endif
