/* What the tests call in the shared object of hoarder.c. */
#ifndef LS_HOARDER_H
#define LS_HOARDER_H

typedef struct hoarder {
    void (*store)(int value); /* changes two variables */
    int (*sum)(void);         /* of all */
    const int *limit;         /* never changes */
} hoarder;

#endif
