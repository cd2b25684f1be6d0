/* See uses.c. Sizes are in units of 8 bytes. */
enum { UNITS = 8, MEMBERS = 8, PORTION = 256 * UNITS, TABLE = 64 * UNITS, PASSES = 40 };

extern unsigned long long matrix[TABLE + MEMBERS * PORTION];

void go(int member, int partner);
