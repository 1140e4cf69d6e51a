/* The options of a command as constant data: which exist, and where their values go.
 * cli/common/arguments.h reads them, cli/common/argument_help.h prints them. */
#ifndef LS_ARGUMENT_TABLE_H
#define LS_ARGUMENT_TABLE_H

#include <lockstep/base.h>

typedef enum ls_argument_type {
    LS_ARGUMENT_FLAG = 0, /* a bool, which becomes true */
    LS_ARGUMENT_TEXT,     /* a const char *, which points into the argument vector */
    LS_ARGUMENT_TEXTS,    /* an array of const char *, with a uint32_t that counts them */
    LS_ARGUMENT_NUMBER,   /* an unsigned number of `bytes` bytes, min to max, times `scale` */
    LS_ARGUMENT_CHOICE,   /* an enum: the index of the text in `choices` */
    LS_ARGUMENT_CALL,     /* `take` stores it */
} ls_argument_type;

typedef struct ls_argument ls_argument;
/* The command whose arguments are read; ls_argument_fail() needs it. */
typedef struct ls_argument_state ls_argument_state;
/* Stores an argument's text in `options`; on an error it calls ls_argument_fail(), which does not
 * return. */
typedef void ls_argument_take(const ls_argument_state *state, const ls_argument *argument,
                              void *options, char *text);

/* One option, or the title of those that follow it. */
struct ls_argument {
    const char *name;  /* NULL: a title */
    const char *value; /* placeholder of its value in the help; NULL: no value */
    const char *help;
    ls_argument_type type;
    char letter;        /* 'o' for -o, or 0 */
    bool is_hidden;     /* left out of the help */
    bool is_action;     /* makes the command do something else: not in a file or the environment */
    bool is_repeatable; /* each value counts, not only the last */
    size_t at;          /* offset of the value in the options */
    size_t has;         /* offset of a bool that is set if the option was given; 0: none */
    uint32_t bytes;     /* size of a number */
    uint32_t number;    /* for `take` */
    size_t count;       /* offset of the number of texts */
    uint64_t min, max;  /* of a number; `max` also limits texts, or the bytes of a text (0: any) */
    uint64_t scale;     /* factor on the number; 0: one */
    const char *const *choices; /* ends with NULL */
    ls_argument_take *take;
};

#define LS_ARGUMENT_TITLE(title)                                                                   \
    {                                                                                              \
        .help = (title)                                                                            \
    }
/* The macros' last parameters are further members, such as .letter = 'o'. */
#define LS_ARGUMENT_FLAG(name_, options, member, ...)                                              \
    {                                                                                              \
        .name = (name_), .at = offsetof(options, member), .help = __VA_ARGS__                      \
    }
#define LS_ARGUMENT_TEXT(name_, value_, options, member, ...)                                      \
    {                                                                                              \
        .name = (name_), .value = (value_), .type = LS_ARGUMENT_TEXT,                              \
        .at = offsetof(options, member), .help = __VA_ARGS__                                       \
    }
#define LS_ARGUMENT_TEXTS(name_, value_, options, member, count_, ...)                             \
    {                                                                                              \
        .name = (name_), .value = (value_), .type = LS_ARGUMENT_TEXTS, .is_repeatable = true,      \
        .at = offsetof(options, member), .count = offsetof(options, count_),                       \
        .max = LS_COUNT_OF(((options *)0)->member), .help = __VA_ARGS__                            \
    }
#define LS_ARGUMENT_NUMBER(name_, value_, options, member, min_, max_, ...)                        \
    {                                                                                              \
        .name = (name_), .value = (value_), .type = LS_ARGUMENT_NUMBER,                            \
        .at = offsetof(options, member), .bytes = sizeof(((options *)0)->member), .min = (min_),   \
        .max = (max_), .help = __VA_ARGS__                                                         \
    }
#define LS_ARGUMENT_CHOICE(name_, value_, options, member, choices_, ...)                          \
    {                                                                                              \
        .name = (name_), .value = (value_), .type = LS_ARGUMENT_CHOICE,                            \
        .at = offsetof(options, member), .choices = (choices_), .help = __VA_ARGS__                \
    }
#define LS_ARGUMENT_CALL(name_, value_, take_, ...)                                                \
    {                                                                                              \
        .name = (name_), .value = (value_), .type = LS_ARGUMENT_CALL, .take = (take_),             \
        .help = __VA_ARGS__                                                                        \
    }

typedef struct ls_arguments ls_arguments;
/* A table of options that several commands share, with the offset of its values in the command's
 * options. */
typedef struct ls_arguments_part {
    const ls_arguments *arguments; /* NULL: the end */
    size_t at;
} ls_arguments_part;

struct ls_arguments {
    const ls_argument *list;        /* ends with zeros; NULL: none */
    const ls_arguments_part *parts; /* shown after `list`; NULL: none */
    const char *usage;              /* the arguments that are no options, such as "FILE" */
    const char *doc;                /* help text before the options; after \v, text after them */
    /* Offset of the one argument that is no option, a const char *. */
    size_t file;
    const char *file_ending;  /* of the files that a shell completes; NULL: any */
    const char *file_missing; /* the error if it is missing; NULL: it is optional */
    const char *file_twice;   /* the error for a second one; NULL: there is no such argument */
    ls_argument_take *take;   /* replaces `file`; its `argument` is NULL */
    /* Options may also come from variables that begin with this, and from the file that the option
     * `config` names; see cli/common/argument_config.h. NULL: only from the command line. */
    const char *environment;
    /* Only with `environment`: offset of a bool; true: prints all options and exits. */
    size_t prints_config;
    /* Called after all arguments were read, before the checks of the parts. Errors go to
     * ls_argument_fail(), which does not return. */
    void (*check)(const ls_argument_state *state, void *options);
};

/* The members of a table whose one argument is a recording. */
#define LS_ARGUMENTS_RECORDING(options, member)                                                    \
    .usage = "FILE", .file = offsetof(options, member), .file_ending = "lsr",                      \
    .file_missing = "FILE is missing: the recording", .file_twice = "one recording at a time"

#endif
