import { typeUrls } from '../../../domains/mesh/src/model/resource.ts';
import { encodeDeltaRequest, encodeRequest } from '../../../domains/mesh/src/test-xds-client/test-messages.ts';
import { portName } from '../../conformance/xds/support/mesh-landscape.ts';

/** Names of endpoints that do not exist. */
export const madeUpNames = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, no) => portName(`made-up-${from + no}`));

const node = { id: 'greedy' };
const typeUrl = typeUrls.endpoints;
const fields = { names: 3, subscribe: 3, unsubscribe: 4 } as const;

/** A request with very many names, each of less than 128 letters, encoded quickly. */
export function encodeManyNames(as: keyof typeof fields, names: readonly string[], nonce = ''): Buffer {
  const start = as === 'names' ? encodeRequest({ node, typeUrl, nonce }) : encodeDeltaRequest({ node, typeUrl, nonce });
  const tag = String.fromCharCode((fields[as] << 3) | 2);
  const text = names.map(name => `${tag}${String.fromCharCode(name.length)}${name}`).join('');
  return Buffer.concat([start, Buffer.from(text, 'latin1')]);
}
