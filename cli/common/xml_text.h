/* Text in XML, for pictures and for reports of tests. */
#ifndef LS_XML_TEXT_H
#define LS_XML_TEXT_H

#include "core/base/builder.h"

/* Adds `bytes` bytes of `from`, which is zero-terminated, with XML's escapes. Bytes that are no
 * UTF-8, or no character of XML, become '?'. `escapes_breaks`, for an attribute, also escapes line
 * ends and tabs, which a reader would otherwise turn into spaces. */
void ls_xml_add(ls_builder *text, const char *from, size_t bytes, bool escapes_breaks);

#endif
