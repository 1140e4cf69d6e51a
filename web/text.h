/* Texts that a module keeps until its next call: each is one JSON object. Private to this folder.
 */
#ifndef LS_WEB_TEXT_H
#define LS_WEB_TEXT_H

#include "core/base/json_writer.h"

/* Empties a text, and opens the object that it holds. */
static inline ls_builder *ls_web_text_begin(ls_builder *text)
{
    text->count = 0;
    ls_json_open(text, NULL, '{');
    return text;
}

static inline const char *ls_web_text_end(ls_builder *text)
{
    ls_json_close(text, '}');
    return text->data;
}

#endif
