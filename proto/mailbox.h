/* Datagrams taken from a socket and not yet delivered: the handshake's, of one round of a link.
 * What does not fit in this round is lost, as datagrams are. Private to proto/. */
#ifndef LS_MAILBOX_H
#define LS_MAILBOX_H

#include <lockstep/link.h>

typedef struct ls_letter {
    ls_address from;
    uint32_t bytes;
    uint8_t data[LS_MTU_BYTES];
} ls_letter;

/* Zeroed, then init. */
typedef struct ls_mailbox {
    ls_letter *letters;
    uint32_t capacity, count, next;
} ls_mailbox;

static inline void ls_mailbox_init(ls_mailbox *mailbox, uint32_t capacity)
{
    *mailbox =
        (ls_mailbox){.letters = ls_alloc(capacity * sizeof(ls_letter)), .capacity = capacity};
}

static inline void ls_mailbox_reset(ls_mailbox *mailbox)
{
    ls_free(mailbox->letters);
    *mailbox = (ls_mailbox){0};
}

/* The storage of one more, to be filled; NULL when this round's are used up. */
static inline ls_letter *ls_mailbox_push(ls_mailbox *mailbox)
{
    return mailbox->count < mailbox->capacity ? &mailbox->letters[mailbox->count++] : NULL;
}

/* The next in order, valid until the round ends; NULL when all are taken. */
static inline const ls_letter *ls_mailbox_take(ls_mailbox *mailbox)
{
    return mailbox->next < mailbox->count ? &mailbox->letters[mailbox->next++] : NULL;
}

/* Makes room again, if all were taken. */
static inline void ls_mailbox_begin_round(ls_mailbox *mailbox)
{
    if (mailbox->next == mailbox->count)
        mailbox->next = mailbox->count = 0;
}

#endif
