#define W 1
