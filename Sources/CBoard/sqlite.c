/* sqlite3_config and sqlite3_db_config are variadic. */
#include "CBoard.h"

int cb_sqlite3_config(const sqlite3_mem_methods *memory) {
    int code = sqlite3_config(SQLITE_CONFIG_MALLOC, memory);
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_URI, 0);
    return code;
}

int cb_sqlite3_checkpoint_on_close(sqlite3 *database, int on) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !on, (int *)0);
}
