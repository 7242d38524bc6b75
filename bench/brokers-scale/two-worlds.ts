import type { ManyInstances } from '../../test/scenarios/many-instances/support/many-instances.ts';
import type { ScaleOptions } from './options.ts';

/** The same landscape twice: with few instances and with many. */
export interface TwoWorlds {
  readonly few: ManyInstances;
  readonly many: ManyInstances;
  readonly options: ScaleOptions;
}

/** What the columns of all tables are. */
export const baselineOf = ({ few }: ScaleOptions): string => `with ${few.toLocaleString('en-US')}`;
