import { apiError } from '@chandlery/api';
import type { Explanation } from '../../kinds/rest-documents.ts';
import { MatchBudget } from '../../kinds/smi/pattern/pattern.ts';
import type { MeshService, ServicePort } from '../mesh-service.ts';
import { type ServiceName, serviceKey } from '../service-name.ts';
import type { ServiceAccountName } from '../topology.ts';
import { comparedPath } from './compared-path.ts';
import { explainAccess } from './explain-access.ts';
import { type DescribedRequest, mismatchOf } from './match-request.ts';
import { hasPortsOf } from './outbound-service.ts';
import type { PolicyDeps } from './policy-deps.ts';

/** A hypothetical call. */
export interface DescribedCall extends DescribedRequest {
  readonly source: ServiceAccountName;
  readonly service: ServiceName;
  /** Default: the first port of the service. */
  readonly port?: number;
}

/** About a third of a second; usual policies take a small part of it. */
const maxMatchSteps = 5_000_000;

const tooExpensive = (): never => {
  throw apiError('BadRequest', 'the patterns of these policies are too many, or too large, to be tried on this path');
};

/**
 * Explains a call: its destinations, and the TrafficTarget that allows it or what is missing. Throws `BadRequest` when
 * the evaluation would take too long, because one thread serves all tenants.
 */
export function explain(described: DescribedCall, deps: PolicyDeps): Explanation {
  const call: DescribedCall = { ...described, budget: new MatchBudget(maxMatchSteps, tooExpensive) };
  const declared = deps.services.getService(call.service);
  const name = serviceKey(call.service);
  if (declared === undefined) return denied(`no cluster of the mesh has a service ${name}`);
  const port = portOf(declared, call.port);
  if (port === undefined) return denied(`service ${name} has no port ${call.port ?? 'at all'}${portsText(declared)}`);
  const compared = port.protocol === 'http' ? comparedCall(call) : call;
  if ('rejection' in compared) return { ...denied(compared.rejection), port };
  const { split, shares } = divide(compared, declared, port, deps);
  const destinations = shares.map(({ service, share }) => ({
    service,
    share,
    access: explainAccess({ ...compared, service, port }, deps),
  }));
  const reached = destinations.filter(({ share }) => share > 0);
  const open = reached.filter(({ access }) => access.isAllowed);
  const verdict = open.length === 0 ? 'denied' : open.length < reached.length ? 'partly' : 'allowed';
  const first = (verdict === 'allowed' ? open[0] : reached.find(({ access }) => !access.isAllowed)) ?? destinations[0];
  const message = reached.length === 0 ? nobodyText(split, shares.length) : first?.access.message;
  return { verdict, message: message ?? '', port, ...(split === undefined ? {} : { split }), destinations };
}

/** Why no service gets the call. */
const nobodyText = (split: Explanation['split'], usable: number): string =>
  usable === 0 && split !== undefined
    ? `no backend of the split can take the call: ${split.why}`
    : 'the weights of the split add up to 0: no service gets the call';

/** The call with a normalized path, or why proxies reject it. */
function comparedCall(call: DescribedCall): DescribedCall | { readonly rejection: string } {
  if (call.path === undefined) return call;
  const compared = comparedPath(call.path);
  return 'rejection' in compared ? compared : { ...call, ...compared };
}

const denied = (message: string): Explanation => ({ verdict: 'denied', message, destinations: [] });

const portOf = ({ ports }: MeshService, wanted: number | undefined): ServicePort | undefined =>
  wanted === undefined ? ports[0] : ports.find(({ port }) => port === wanted);

const portsText = ({ ports }: MeshService): string =>
  ports.length === 0 ? '' : `; it has ${ports.map(({ port }) => port).join(', ')}`;

/** What is wrong with the backends that get nothing: `shop/v2: no such service`. */
const leftText = (left: readonly { readonly name: string; readonly isThere: boolean }[]): string =>
  left.map(({ name, isThere }) => `${name} (${isThere ? 'ports are missing there' : 'no such service'})`).join(', ');

interface Division {
  readonly split?: NonNullable<Explanation['split']>;
  readonly shares: readonly { readonly service: ServiceName; readonly share: number }[];
}

function divide(call: DescribedCall, root: MeshService, port: ServicePort, deps: PolicyDeps): Division {
  const whole = [{ service: root.service, share: 1 }];
  const split = deps.topology.splitOf(root.service);
  if (split === undefined) return { shares: whole };
  const { source, matches } = split;
  const isAbout =
    matches === undefined || (port.protocol === 'http' && matches.some(match => mismatchOf(match, call) === undefined));
  if (!isAbout) return { split: { source, applies: false, why: 'it is about other requests' }, shares: whole };
  const usable = split.backends.filter(({ service }) => hasPortsOf(root, service, deps));
  const left = split.backends
    .filter(backend => !usable.includes(backend))
    .map(({ service }) => ({ name: serviceKey(service), isThere: deps.services.getService(service) !== undefined }));
  const sum = usable.reduce((total, { weight }) => total + weight, 0);
  const why = left.length === 0 ? 'it divides the traffic' : `it divides the traffic, without ${leftText(left)}`;
  const shares = usable.map(({ service, weight }) => ({ service, share: sum === 0 ? 0 : weight / sum }));
  return { split: { source, applies: true, why }, shares };
}
