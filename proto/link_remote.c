#include <lockstep/link_remote.h>

#include <string.h>

ls_remote_origin ls_link_locate(const ls_link *link, const ls_remote *remote)
{
    return link->vtable->origin(link, remote);
}

ls_status ls_link_redirect(ls_link *link, const ls_remote *to)
{
    return link->vtable->redirect ? link->vtable->redirect(link, to) : LS_ERROR_REFUSED;
}

void ls_link_describe(const ls_link *link, const ls_remote *remote, char text[LS_REMOTE_TEXT_BYTES])
{
    memset(text, 0, LS_REMOTE_TEXT_BYTES);
    link->vtable->describe(link, remote, text);
    text[LS_REMOTE_TEXT_BYTES - 1] = 0;
    if (!text[0])
        text[0] = '?';
    for (char *at = text; *at; at++)
        if (*at <= ' ' || *at > '~' || *at == '"' || *at == '\\' || *at == '=')
            *at = '?';
}
