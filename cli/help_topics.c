#include "cli/help_topics.h"

#include "cli/serve/http_answer.h"

#include <string.h>

#define COLUMNS 79

static const char start[] =
    "A match on this machine, in two terminals:\n\n"
    "  lockstep serve --sim skirmish --record recordings\n"
    "  lockstep join HOST:PORT#KEY --bots 2\n\n"
    "HOST:PORT#KEY is what the server prints first. Ctrl+C in the first terminal ends\n"
    "the match in order. Then look at its recording, and prove it:\n\n"
    "  lockstep watch recordings/skirmish-*.lsr\n"
    "  lockstep verify recordings/skirmish-*.lsr\n";

static const char addresses[] =
    "A server prints `listening HOST:PORT#KEY`, and `lockstep join` takes that text.\n\n"
    "  HOST  a name, an IPv4 address, or an IPv6 address in brackets: [2001:db8::9]\n"
    "  PORT  the UDP port; 7777 if it is left out\n"
    "  KEY   the public key of the server, 43 characters. With it a client joins no\n"
    "        other server. Without it a client trusts the first key that it sees at\n"
    "        this address, and refuses another one later (--known-servers)\n\n"
    "A server on all interfaces prints 127.0.0.1: players of other machines need the\n"
    "address that leads to it, which `serve --address` names for connect tokens.\n"
    "Quote an address with '#' in a script; the shell takes ' #' for a comment.\n";

static const char configuration[] =
    "Each option of `lockstep serve` may be in a file, a variable, or on the command\n"
    "line. The command line comes first, then variables, then the file, then the\n"
    "default.\n\n"
    "  --config FILE          one `option = value` a line, under its long name;\n"
    "                         `option = yes` or `no` for an option without a value;\n"
    "                         lines that begin with # are comments\n"
    "  LOCKSTEP_SERVE_PORT    the same for --port, and so for each option; an option\n"
    "                         that may be repeated takes a value a line\n"
    "  LOCKSTEP_SERVE_CONFIG  the file\n\n"
    "`lockstep serve --print-config` prints what is in effect, as such a file. A\n"
    "running server takes keep-days, keep-bytes, keep-free and log-level from a\n"
    "changed file on SIGHUP or `lockstep admin reload`, which prints what has changed\n"
    "and what needs a restart.\n";

static const char environment[] =
    "  LOCKSTEP_SERVE_...     an option of `serve`: `lockstep help configuration`\n"
    "  LOCKSTEP_SERVE_ADMIN   also the socket of `lockstep admin` and `lockstep top`\n"
    "  XDG_CONFIG_HOME, HOME  the folder of keys: `lockstep help files`\n"
    "  AGONES_SDK_HTTP_PORT   switches `serve --agones` on, unless it is empty\n"
    "  NOTIFY_SOCKET          where `serve` tells systemd that it is ready and alive\n"
    "  WATCHDOG_USEC          how often it tells that\n"
    "  TERM                   the terminal, for `watch` and `top`\n"
    "  NO_COLOR               switches colours of `watch` off, unless it is empty;\n"
    "                         the other commands print no colours\n";

static const char files[] =
    "Keys, in $XDG_CONFIG_HOME/lockstep or ~/.config/lockstep, on Windows\n"
    "APPDATA\\lockstep:\n\n"
    "  identity       the server's key, unless --identity names another file\n"
    "  known_servers  keys of servers that `join` has seen (--known-servers)\n\n"
    "Recordings, in the folder of `serve --record`:\n\n"
    "  SIM-DATE-TIME-SEED.lsr  a match; parts after a disk failure are .1.lsr, .2.lsr\n"
    "  NAME.seats              hashes of secrets of its players, for --resume\n"
    "  NAME.desync-TICK        the ticks before a desync, and both sides' cells:\n"
    "                          `lockstep explain` finds the cause\n"
    "  NAME.failed             a folder about a match that could not continue\n"
    "  NAME.restoring          exists while a server restores the match\n"
    "  NAME.lsr.quarantined    a match that crashed the simulation, set aside\n"
    "  .successor              the socket of a handover\n";

static const char operations[] =
    "A server and what belongs to it:\n\n"
    "  lockstep serve --config FILE  its options: `lockstep help configuration`\n"
    "  systemctl start lockstep@7777 a service by /etc/lockstep/7777.conf, if the\n"
    "                                package is installed\n"
    "  lockstep serve --healthcheck  whether it answers, for a container\n"
    "  serve --admin PATH            a socket for the two commands that follow\n"
    "  lockstep top                  a picture of it every second\n"
    "  lockstep admin ACTION         questions and changes, such as `say`, `reload`,\n"
    "                                `drain` and `checkpoint`\n"
    "  serve --http [ADDR:]PORT      /metrics, /healthz, /readyz and /rooms:\n"
    "                                `lockstep help metrics`\n"
    "  serve --record DIR --resume   a crash loses no match\n"
    "  lockstep admin drain --successor HOST:PORT\n"
    "                                an upgrade with players inside\n"
    "  lockstep verify FILE          proves a recording\n"
    "  lockstep explain FILE         finds the cause of a desync\n"
    "  serve --keep-days, --keep-bytes, --keep-free\n"
    "                                deletes old recordings\n"
    "  serve --on-finished COMMAND   a program for each finished recording\n"
    "  serve --agones                a server of a fleet in Kubernetes\n"
    "  lockstep lobby                one address for many servers\n\n"
    "docs/operations.md in the sources, and the pages that it names, have each of\n"
    "them in full.\n";

static const char metrics[] =
    "`serve --http PORT` answers these at /metrics; `lockstep admin metrics` prints\n"
    "them, too:\n\n";

/* Prints words from the column `indent` on. */
static void print_words(const char *text, size_t bytes, int indent, FILE *stream)
{
    int column = indent - 1; /* each word follows a blank */
    fprintf(stream, "%*s", column, "");
    while (bytes) {
        const char *blank = memchr(text, ' ', bytes);
        int word = (int)(blank ? (size_t)(blank - text) : bytes);
        if (column + 1 + word > COLUMNS) {
            column = indent - 1;
            fprintf(stream, "\n%*s", column, "");
        }
        column += fprintf(stream, " %.*s", word, text);
        bytes -= (size_t)word + (blank != NULL);
        text += word + (blank != NULL);
    }
    fputs("\n", stream);
}

/* Prints the names and the help of all metrics of a server without rooms. */
static void print_metrics(FILE *stream)
{
    static const ls_metrics none;
    static const char head[] = "# HELP ";
    const ls_http_facts facts = {.sim = "", .metrics = &none, .start_unix_s = 1};
    ls_http_answer answer = {0};
    (void)ls_http_answer_get(&facts, "/metrics", &answer);
    for (const char *line = answer.body.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *name = line + strlen(head), *help = name + strcspn(name, " ");
        if (strncmp(line, head, strlen(head)) != 0)
            continue;
        fprintf(stream, "  %.*s\n", (int)(help - name), name);
        print_words(help + 1, (size_t)(end - help - 1), 6, stream);
    }
    ls_free(answer.body.data);
}

static const char signals[] =
    "`lockstep serve` takes these signals:\n\n"
    "  SIGTERM, SIGINT   end all matches in order; the second one ends the process\n"
    "                    at once\n"
    "  SIGHUP            reads token keys, bans, the HTTP token and --config again,\n"
    "                    and opens the log again\n"
    "  SIGUSR1           opens the log again, after another program has rotated it\n"
    "  SIGPIPE, SIGUSR2  are ignored\n\n"
    "`lockstep admin drain` and `lockstep admin reload` do the same without a signal.\n";

const ls_menu_topic ls_help_topics[LS_HELP_TOPICS] = {
    {"start", "the first match", start, NULL},
    {"addresses", "HOST:PORT#KEY", addresses, NULL},
    {"configuration", "the file and the variables of serve", configuration, NULL},
    {"environment", "all variables", environment, NULL},
    {"files", "the files that lockstep writes", files, NULL},
    {"operations", "the commands around a server", operations, NULL},
    {"metrics", "the metrics of serve --http", metrics, print_metrics},
    {"signals", "the signals of serve", signals, NULL},
    {"exit-codes", "the exit codes of all commands", LS_HELP_EXIT_CODES, NULL},
};
