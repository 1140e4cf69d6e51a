#include "test.h"

#include <lockstep/link.h>

static void test_address_formats_as_dotted_quad(void **state)
{
    char text[LS_ADDRESS_TEXT_BYTES];
    ls_address_format(&(ls_address){.host = {192, 0, 2, 1}, .port = {0x9c, 0x41}}, text);
    assert_string_equal(text, "192.0.2.1:40001");
    ls_address_format(&(ls_address){0}, text);
    assert_string_equal(text, "0.0.0.0:0");
    ls_address_format(&(ls_address){{255, 255, 255, 255}, {255, 255}}, text);
    assert_string_equal(text, "255.255.255.255:65535");
}

int main(void)
{
    return RUN_TESTS(test_address_formats_as_dotted_quad);
}
