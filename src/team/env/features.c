/* Region features (floor: team): see region_features.h. */
#include "team/region_features.h"

unsigned fg_features;
