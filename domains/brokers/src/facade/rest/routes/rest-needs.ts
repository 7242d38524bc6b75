import type { Registry } from '../../../model/rows.ts';
import type { BrokerSettings } from '../../../settings.ts';

/** What answering needs besides the handler. */
export interface RestDeps {
  readonly registry: Registry;
  readonly settings: BrokerSettings;
}
