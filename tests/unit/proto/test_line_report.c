#include "proto/message.h"
#include "tests/support/test.h"

static const ls_line_report reports[] = {
    {0, 0, 0, 0}, {UINT32_MAX, 1000, LS_REPORT_NONE, 3}, {7, 6, 5, LS_REPORT_NONE}};

TEST(test_line_report_round_trip)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(reports); i++) {
        ls_plain plain;
        ls_line_report report;
        ls_line_report_encode(&reports[i], &plain);
        assert_true(ls_line_report_decode(&plain, &report));
        assert_int_equal(report.rtt_us, reports[i].rtt_us);
        assert_int_equal(report.loss_permille, reports[i].loss_permille);
        assert_int_equal(report.delay_ticks, reports[i].delay_ticks);
        assert_int_equal(report.rollback_ticks, reports[i].rollback_ticks);
    }
}

TEST(test_line_report_is_total)
{
    ls_plain plain;
    ls_line_report report;
    ls_line_report_encode(&reports[1], &plain);
    uint32_t whole = plain.bytes;
    for (plain.bytes = 0; plain.bytes < whole + 2; plain.bytes++)
        assert_int_equal(ls_line_report_decode(&plain, &report), plain.bytes == whole);
    plain.bytes = whole;
    plain.channel = LS_CHANNEL_CONTROL;
    assert_false(ls_line_report_decode(&plain, &report));
    plain.channel = LS_CHANNEL_TICKS;
    for (uint32_t type = 0; type < 256; type++) {
        plain.type = (uint8_t)type;
        assert_int_equal(ls_line_report_decode(&plain, &report), type == LS_MESSAGE_REPORT);
    }
}

TEST(test_line_report_bounds_the_loss)
{
    ls_plain plain;
    ls_line_report report;
    ls_line_report_encode(&reports[1], &plain);
    plain.data[4]++; /* 1001 thousandths */
    assert_false(ls_line_report_decode(&plain, &report));
}
