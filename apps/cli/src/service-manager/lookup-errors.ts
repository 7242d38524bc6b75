import { ChandleryError } from '@chandlery/api';
import type { SmKind } from './sm-kinds.ts';

/** Several are meant. `flag` is what picks one of them. */
export const ambiguous = (message: string, flag: string): ChandleryError =>
  new ChandleryError('Ambiguous', message, { hint: `Say which one with ${flag}.` });

/** None has the name; perhaps another one is meant. */
export const missing = (kind: SmKind, name: string, meant?: string): ChandleryError =>
  new ChandleryError(
    'NotFound',
    `there is no ${kind.noun} "${name}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    { hint: listHint(kind) },
  );

/** The id is that of another one: more likely a mistake than meant. */
export const misnamed = (kind: SmKind, wanted: string, found: string | undefined): ChandleryError =>
  new ChandleryError('NotFound', `the ${kind.noun} with this id has the name "${found ?? ''}", not "${wanted}"`, {
    hint: listHint(kind),
  });

const listHint = ({ list }: SmKind): string => `See what there is with "npx chandlery ${list}".`;
