import { createMap, type StringMap } from '../../values/value.ts';
import { dateFunctions } from './dates.ts';
import { encodingFunctions } from './encoding.ts';
import { listFunctions } from './lists.ts';
import { logicFunctions } from './logic.ts';
import { mapFunctions } from './maps.ts';
import { numberFunctions } from './numbers.ts';
import { patternFunctions } from './patterns.ts';
import { randomFunctions } from './random.ts';
import { semverFunctions } from './semver.ts';
import { textFunctions } from './texts.ts';
import { urlFunctions } from './urls.ts';

/** What expressions call as `sprig.<name>`: the functions of sprig 3 but for those that read the process's environment. */
export const sprigFunctions: StringMap = createMap(
  Object.entries({
    ...textFunctions,
    ...listFunctions,
    ...mapFunctions,
    ...numberFunctions,
    ...dateFunctions,
    ...encodingFunctions,
    ...logicFunctions,
    ...patternFunctions,
    ...semverFunctions,
    ...randomFunctions,
    ...urlFunctions,
  }),
);
