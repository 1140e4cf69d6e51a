#include "cli/common/xml_text.h"

#include "test.h"

static void assert_xml(const char *words, const char *expected)
{
    ls_builder text = {0};
    ls_builder_put(&text, "", 0);
    ls_xml_add(&text, words, strlen(words), false);
    assert_string_equal(text.data, expected);
    ls_free(text.data);
}

TEST(test_xml_text_escapes_what_has_a_meaning)
{
    assert_xml("plain\tand\nlines", "plain\tand\nlines");
    assert_xml("<a href=\"x\">&amp;'", "&lt;a href=&quot;x&quot;&gt;&amp;amp;'");
    assert_xml("sch\xc3\xb6n \xe2\x86\xa6 \xf0\x9f\x90\x91",
               "sch\xc3\xb6n \xe2\x86\xa6 \xf0\x9f\x90\x91");
}

TEST(test_xml_text_takes_nothing_that_is_no_character)
{
    assert_xml("\x01\x1b\x7f", "???");
    assert_xml("\xff\xc3", "??");
    assert_xml("\xc0\xaf", "??");           /* '/' in two bytes */
    assert_xml("\xe0\x80\xaf", "???");      /* '/' in three bytes */
    assert_xml("\xed\xa0\x80", "???");      /* a surrogate half */
    assert_xml("\xf4\x90\x80\x80", "????"); /* above U+10FFFF */
    assert_xml("\xef\xbf\xbf", "???");      /* U+FFFF */
    assert_xml("\xe2\x86", "??");           /* truncated */
    assert_xml("\xf0\x9f\x90", "???");
    assert_xml("\xe2<", "?&lt;");
}
