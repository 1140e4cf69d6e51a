#include "cli/schedule/source_lines.h"

#include "cli/common/text_file.h"
#include "core/schedule/lists.h"

#include <ctype.h>
#include <string.h>

enum { SOURCE_BYTES_MAX = 16 << 20 };

ls_status ls_source_lines_add(ls_source_lines *sources, const char *path, ls_error *error)
{
    if (sources->count == LS_SOURCE_LINES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "--source: at most %d files",
                            LS_SOURCE_LINES_MAX);
    ls_status status =
        ls_text_file_read(path, SOURCE_BYTES_MAX, &sources->texts[sources->count], error);
    if (status == LS_OK)
        sources->paths[sources->count++] = path;
    return status;
}

void ls_source_lines_reset(ls_source_lines *sources)
{
    for (uint32_t i = 0; i < sources->count; i++)
        ls_free(sources->texts[i]);
    *sources = (ls_source_lines){0};
}

/* The lexer knows comments, texts and words; all else is a character. */
typedef enum token_kind { TOKEN_END, TOKEN_TEXT, TOKEN_WORD, TOKEN_OTHER } token_kind;

typedef struct lexer {
    const char *at;
    uint32_t line; /* of the token */
    uint32_t next_line;
    const char *token;
    size_t length; /* of a text: without its quotes */
} lexer;

static void skip_to(lexer *self, const char *end)
{
    for (; self->at < end; self->at++)
        self->next_line += *self->at == '\n';
}

/* Returns where the comment at `at` ends, or `at` when there is none. */
static const char *end_of_comment(const char *at)
{
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] != '/' || at[1] != '*')
        return at;
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

static void skip_blanks(lexer *self)
{
    for (const char *before = NULL; before != self->at;) {
        before = self->at;
        skip_to(self, self->at + strspn(self->at, " \t\r\n\f\v"));
        skip_to(self, end_of_comment(self->at));
    }
}

/* The end of the quoted text that begins at `at`, after its quote; a line ends it too. */
static const char *end_of_text(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static bool is_of_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

static token_kind next_token(lexer *self)
{
    skip_blanks(self);
    self->line = self->next_line;
    self->token = self->at;
    const char *end = self->at;
    if (!*end)
        return TOKEN_END;
    if (*end == '"' || *end == '\'') {
        end = end_of_text(self->at);
        self->token = self->at + 1;
        self->length = (size_t)(end - self->token) - (end[-1] == *self->at && end > self->token);
        token_kind kind = *self->at == '"' ? TOKEN_TEXT : TOKEN_OTHER;
        skip_to(self, end);
        return kind;
    }
    while (is_of_word(*end))
        end++;
    bool is_word = end > self->at;
    end += !is_word;
    self->length = (size_t)(end - self->at);
    skip_to(self, end);
    return is_word ? TOKEN_WORD : TOKEN_OTHER;
}

static bool is_token(const lexer *self, const char *text)
{
    return strlen(text) == self->length && strncmp(self->token, text, self->length) == 0;
}

/* Whether the text is a list that contains the name: "steer, shoot". */
static bool lists(const lexer *self, const char *name)
{
    char *text = ls_alloc(self->length + 1);
    memcpy(text, self->token, self->length);
    bool has = ls_name_list_has(text, name);
    ls_free(text);
    return has;
}

/* How well the token declares the name; 0: not at all. `before` has the two tokens before it. */
static uint32_t score_of(const lexer *self, token_kind kind, const char *name,
                         const lexer *const before[2])
{
    if (!is_token(self, name) || kind == TOKEN_OTHER || kind == TOKEN_END)
        return 0;
    if (kind == TOKEN_WORD) /* an argument of a macro: LS_SYSTEM(steer, ...) */
        return is_token(before[1], "(") ? 2 : 0;
    if (is_token(before[1], "=") && is_token(before[0], "name"))
        return 4;
    return is_token(before[1], "=") ? 1 : 3; /* .after = "steer" refers to it */
}

bool ls_source_lines_find(const ls_source_lines *sources, const char *name, ls_source_line *found)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < sources->count; i++) {
        lexer self = {.at = sources->texts[i], .next_line = 1};
        lexer first = {.token = ""}, second = {.token = ""};
        const lexer *const before[] = {&first, &second};
        for (token_kind kind; (kind = next_token(&self)) != TOKEN_END;) {
            uint32_t score = score_of(&self, kind, name, before);
            if (score > best) {
                best = score;
                *found = (ls_source_line){sources->paths[i], self.line};
            }
            first = second;
            second = self;
        }
    }
    return best > 0;
}

bool ls_source_lines_find_item(const ls_source_lines *sources, const char *owner, const char *item,
                               ls_source_line *found)
{
    ls_source_line from = {NULL, 0};
    bool is_found = false, has_owner = ls_source_lines_find(sources, owner, &from);
    for (uint32_t i = 0; i < sources->count; i++) {
        lexer self = {.at = sources->texts[i], .next_line = 1};
        for (token_kind kind; (kind = next_token(&self)) != TOKEN_END;) {
            if (kind != TOKEN_TEXT || !lists(&self, item))
                continue;
            bool is_of_owner =
                has_owner && sources->paths[i] == from.path && self.line >= from.line;
            if (!is_found || is_of_owner)
                *found = (ls_source_line){sources->paths[i], self.line};
            is_found = true;
            if (is_of_owner)
                return true;
        }
    }
    return is_found;
}
