/* The conditions and ranges of a request for a file: a client may take it packed (Accept-Encoding),
 * and ask for a newer version than the one that it has (If-None-Match), or for a part (Range,
 * If-Range).
 *   source  RFC 9110, sections 8.8.3, 12.5.3, 13.1, 14.1.2 and 14.2 */
#ifndef LS_HTTP_FILE_H
#define LS_HTTP_FILE_H

#include "cli/serve/http_message.h"

/* Longer headers are ignored: the answer then is the whole file. */
#define LS_HTTP_WISH_BYTES 256

/* The headers of a request, which may be hostile; "": there is none. */
typedef struct ls_http_wish {
    char none_match[LS_HTTP_WISH_BYTES], range[LS_HTTP_WISH_BYTES], if_range[LS_HTTP_WISH_BYTES];
    char encoding[LS_HTTP_WISH_BYTES]; /* Accept-Encoding */
    bool is_get;                       /* only GET has a Range */
} ls_http_wish;

/* Keeps the packed file or the other one, whichever the client takes, and closes the rest. Versions
 * and parts are those of the file that is kept. */
void ls_http_file_choose(const ls_http_wish *wish, ls_http_answer *answer);

/* Names the version of the file of an answer, if it has one: another inode, length or time of
 * change is another version. */
void ls_http_file_name_version(ls_http_answer *answer);

/* Replaces the whole file that `answer` gives: by 304 without a body if the client has it, by 206
 * and one part, or by 416 if the file has no such part. A Range of several parts, or one that is no
 * range, leaves the whole file. Answers without a file or a version stay. */
void ls_http_file_apply(const ls_http_wish *wish, ls_http_answer *answer);

#endif
