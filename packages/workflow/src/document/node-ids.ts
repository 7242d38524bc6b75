const utf8 = new TextEncoder();

/** FNV-1a of 32 bits, as Argo computes it of node names. */
export function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** FNV-1a of 64 bits, for names whose 32 bits are taken. */
export function fnv64a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of utf8.encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}

/** The id that Argo gives a node. Two names can have the same one. */
export const nodeIdOf = (workflow: string, node: string): string =>
  node === workflow ? workflow : `${workflow}-${fnv32a(node)}`;

/** Pod names have at most 253 characters, of which the hash takes ten and its dash one. */
const maxPrefixLength = 242;

/** The name of the pod that executes a node. */
export function podNameOf(workflow: string, node: string, template: string | undefined): string {
  if (node === workflow) return workflow;
  const prefix = template === undefined || template === '' ? workflow : `${workflow}-${template}`;
  return `${prefix.slice(0, maxPrefixLength - 1)}-${fnv32a(node)}`;
}

/** A node's name without that of its boundary and the separator: `[0]`, `A`, `A(0:x)`. */
export const displayNameOf = (node: string, boundary: string | undefined): string =>
  boundary !== undefined && node.startsWith(boundary) ? node.slice(boundary.length).replace(/^(\[\d+\])?\./, '') : node;
