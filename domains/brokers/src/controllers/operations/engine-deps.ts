import type { Clock, Logger } from '@chandlery/platform';
import type { ContextSigner } from '../../model/osb/context-signature.ts';
import type { OperationRow, Registry } from '../../model/rows.ts';
import type { BrokerConnections } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';

/** What the parts of the engine work with. */
export interface EngineDeps {
  readonly registry: Registry;
  readonly connections: BrokerConnections;
  readonly settings: BrokerSettings;
  /** Undefined: contexts go unsigned. */
  readonly signer: ContextSigner | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ends calls when the engine must stop at once. */
  readonly signal: AbortSignal;
  /** Whether the operation was open when this engine began: an earlier one may have sent requests for it. */
  readonly isInherited: (operation: OperationRow) => boolean;
  /** How many operations of a tree have this parent and have not ended. */
  readonly openChildren: (operation: OperationRow) => number;
}
