#include "cli/common/suggest.h"

#include "test.h"

TEST(test_suggest_counts_edits)
{
    assert_int_equal(ls_edit_distance("", ""), 0);
    assert_int_equal(ls_edit_distance("serve", "serve"), 0);
    assert_int_equal(ls_edit_distance("", "run"), 3);
    assert_int_equal(ls_edit_distance("vrify", "verify"), 1);
    assert_int_equal(ls_edit_distance("srun", "run"), 1);
    assert_int_equal(ls_edit_distance("jain", "join"), 1);
    assert_int_equal(ls_edit_distance("jion", "join"), 1); /* a swap is one edit */
    assert_int_equal(ls_edit_distance("kitten", "sitting"), 3);
}

TEST(test_suggest_is_symmetric_and_bounded)
{
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(ls_edit_distance(longest, "b"), 63);
    assert_int_equal(ls_edit_distance("b", longest), 63);
    assert_int_equal(ls_edit_distance(longest, longest), 0);
}

TEST(test_suggest_takes_the_nearest_or_none)
{
    static const char *const names[] = {"serve", "join", "verify", "run", "sims"};
    assert_string_equal(ls_suggest("sevre", names, 5), "serve");
    assert_string_equal(ls_suggest("simms", names, 5), "sims");
    assert_null(ls_suggest("xylophone", names, 5));
    assert_string_equal(ls_suggest("rin", names, 5), "run");
    assert_null(ls_suggest("rat", names, 5)); /* two of three letters differ from `run` */
    assert_null(ls_suggest("serve", names, 0));
}
