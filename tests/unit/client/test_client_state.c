#include "tests/support/test.h"
#include <lockstep/client_state.h>

TEST(test_client_state_names_every_state)
{
    assert_string_equal(ls_client_state_name(LS_CLIENT_HANDSHAKE), "handshake");
    assert_string_equal(ls_client_state_name(LS_CLIENT_CONNECTING), "connecting");
    assert_string_equal(ls_client_state_name(LS_CLIENT_RESUMING), "resuming");
    assert_string_equal(ls_client_state_name(LS_CLIENT_PLAYING), "playing");
    assert_string_equal(ls_client_state_name(LS_CLIENT_LOST), "lost");
    assert_string_equal(ls_client_state_name(LS_CLIENT_FAILED), "failed");
    assert_string_equal(ls_client_state_name((ls_client_state)99), "unknown");
}
