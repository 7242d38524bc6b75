import { createMap, type StringMap } from '../../values/value.ts';
export const sprigFunctions: StringMap = createMap();
