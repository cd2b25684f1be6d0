/* Features (floor: team): see features.h. */
#include "team/features.h"

unsigned fg_features;
