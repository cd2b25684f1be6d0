/* Region features (floor: team): see features.h. */
#include "team/env/features.h"

unsigned fg_features;
