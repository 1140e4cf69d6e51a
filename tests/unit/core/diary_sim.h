/* Shared by the tests of stages and sets: systems write letters into a log, and a test compares the
 * log after some ticks under every executor. */
#ifndef LS_DIARY_SIM_H
#define LS_DIARY_SIM_H

#include "harness.h"

enum { LETTERS = 56 };

typedef struct diary {
    uint32_t count;
    uint8_t letters[LETTERS];
} diary;

typedef struct tally {
    uint32_t value;
} tally;

extern const ls_component diaries; /* a singleton; term 0 of every system that writes */
extern const ls_component diary_counts, diary_extras;

extern const ls_component pings; /* events: see diary_add_pings() */

void diary_note(ls_context *context, uint8_t letter);
/* Writes the letter in the system's data. */
void diary_write(ls_context *context, const ls_entity *entities);
/* Spawns an entity with a count by a command, and writes c. */
void diary_command(ls_context *context, const ls_entity *entities);
/* Sends a ping; writes e for each ping that it receives, and then a dot. */
void diary_send(ls_context *context, const ls_entity *unused);
void diary_receive(ls_context *context, const ls_entity *unused);

/* A criterion: its data has an answer for each length of the log: y or n, Y or N to run again, -
 * for no answer. */
void diary_decide(ls_context *context, const ls_entity *unused);
/* A criterion that says yes as many times as the digit in its data. */
void diary_repeat(ls_context *context, const ls_entity *unused);
/* Writes a random letter and the iteration. */
void diary_draw(ls_context *context, const ls_entity *unused);

#define CRITERION(label, answers)                                                                  \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = diary_decide, .data = answers,              \
        .terms = LS_TERM_LIST(LS_OTHERS_READ(diaries))                                             \
    }
#define TIMES(label, digit)                                                                        \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = diary_repeat, .data = digit                 \
    }
#define WRITER(letter, ...)                                                                        \
    {                                                                                              \
        .name = letter, .mode = LS_SEQUENTIAL, .match = diary_write, .data = letter,               \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries)), __VA_ARGS__                               \
    }
#define SENDER(...)                                                                                \
    {                                                                                              \
        .name = "send", .mode = LS_SEQUENTIAL, .match = diary_send,                                \
        .terms = LS_TERM_LIST(LS_SENDS(pings)), __VA_ARGS__                                        \
    }
#define RECEIVER(...)                                                                              \
    {                                                                                              \
        .name = "receive", .mode = LS_SEQUENTIAL, .match = diary_receive,                          \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries), LS_RECEIVES(pings)), __VA_ARGS__           \
    }
#define FOR_EACH(label, function, ...)                                                             \
    {                                                                                              \
        .name = label, .mode = LS_SEQUENTIAL, .match = function, .data = label,                    \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries), LS_WITH(diary_counts)), __VA_ARGS__        \
    }
#define COMMANDER(...)                                                                             \
    {                                                                                              \
        .name = "command", .mode = LS_SEQUENTIAL, .match = diary_command,                          \
        .terms = LS_TERM_LIST(LS_OTHERS_WRITE(diaries), LS_COMMANDED(diary_counts)),               \
        .command_lanes = "a", __VA_ARGS__                                                          \
    }

ls_sim diary_sim(const ls_system *systems, uint32_t system_count);
/* Gives the simulation diaries, counts and pings as its components. */
void diary_add_pings(ls_sim *sim);
void assert_diary(const ls_world *world, const char *expected, const char *who);
/* Asserts the log after this many ticks: serially, on three threads and shuffled. */
void assert_writes(const ls_sim *sim, uint32_t ticks, const char *expected);

#endif
