import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from '@chandlery/platform';
import type { ContextSigner } from '../../model/osb/context-signature.ts';
import type { BrokerRow, PlatformRow, Registry } from '../../model/rows.ts';
import type { BrokerConnections, PlatformCaller } from '../../ports.ts';
import type { BrokerSettings } from '../../settings.ts';
import type { Mitigation } from './mitigation.ts';
import type { OsbRoute, OsbTarget } from './osb-target.ts';
import type { OsbCoalescers } from './request-coalescer.ts';

/** A request of a platform to a broker, admitted. */
export interface OsbCall<Route extends OsbRoute = OsbRoute> {
  readonly method: string;
  readonly target: OsbTarget;
  readonly route: Route;
  readonly broker: BrokerRow;
  readonly platform: PlatformRow;
  readonly caller: PlatformCaller;
  readonly headers: IncomingHttpHeaders;
  readonly correlationId: string;
  /** Whether the platform can wait for an asynchronous answer. */
  readonly acceptsIncomplete: boolean;
  /** Undefined for requests without one. */
  readonly body: Buffer | undefined;
}

/** A request about an instance. */
export type InstanceCall = OsbCall<Extract<OsbRoute, { type: 'instance' | 'instance-poll' }>>;
/** A request about a binding. */
export type BindingCall = OsbCall<Extract<OsbRoute, { bindingId: string }>>;

/** What requests are answered with. */
export interface OsbDeps {
  readonly registry: Registry;
  readonly connections: BrokerConnections;
  /** Undefined: contexts are not signed. */
  readonly signer: ContextSigner | undefined;
  readonly settings: BrokerSettings;
  readonly logger: Logger;
  readonly coalescers: OsbCoalescers;
  readonly mitigation: Mitigation;
}
