#include "test.h"

#include "cli/join/seat_file.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(test_seat_file_comes_back_and_is_replaced)
{
    char path[] = "/tmp/lockstep-seat-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    ls_resume_ticket ticket, back;
    ls_error error;
    struct stat info;
    assert_int_equal(ls_seat_file_read(path, &back, &error), LS_ERROR_NOT_FOUND);
    for (uint8_t round = 1; round <= 2; round++) {
        memset(&ticket, round, sizeof ticket);
        ticket.secret[31] = 99;
        assert_ok(ls_seat_file_write(path, &ticket, &error));
        assert_ok(ls_seat_file_read(path, &back, &error));
        assert_memory_equal(&ticket, &back, sizeof ticket);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    chmod(path, 0644);
    assert_int_equal(ls_seat_file_read(path, &back, &error), LS_ERROR_REFUSED);
    chmod(path, 0600);
    assert_int_equal(truncate(path, 40), 0);
    assert_int_equal(ls_seat_file_read(path, &back, &error), LS_ERROR_CORRUPT);
    unlink(path);
}
