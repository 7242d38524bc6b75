import { gunzipSync, gzipSync } from 'node:zlib';
import { ChandleryError, type KubeObject } from '@chandlery/api';

/** What Argo writes into a status in place of nodes. */
interface PackedStatus {
  readonly nodes?: Readonly<Record<string, unknown>>;
  /** JSON, by gzip and base64. */
  readonly compressedNodes?: string;
  /** The nodes are in the database of Argo. */
  readonly offloadNodeStatusVersion?: string;
}

/** More would be no status but an attack on this process. */
const maxNodesBytes = 256 * 1024 * 1024;

const packedStatus = (workflow: KubeObject): PackedStatus => workflow['status'] ?? {};

/** Whether the nodes of a Workflow are only in the database of its Argo. */
export function isOffloaded(workflow: KubeObject): boolean {
  const { offloadNodeStatusVersion = '', nodes } = packedStatus(workflow);
  return offloadNodeStatusVersion !== '' && nodes === undefined;
}

/** Returns a Workflow with the nodes that are packed in its status. Throws `UnexpectedAnswer` when they cannot be read. */
export function expandNodes(workflow: KubeObject): KubeObject {
  const { compressedNodes = '', ...status } = packedStatus(workflow);
  if (compressedNodes === '') return workflow;
  return { ...workflow, status: { ...status, nodes: unpack(workflow, compressedNodes) } };
}

function unpack({ metadata }: KubeObject, packed: string): Readonly<Record<string, unknown>> {
  try {
    const text = gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: maxNodesBytes }).toString();
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new ChandleryError(
      'UnexpectedAnswer',
      `cannot read the compressed nodes of Workflow ${metadata.name ?? ''}`,
      {
        cause,
      },
    );
  }
}

/** Returns a changed Workflow with its nodes packed as they were in the original. */
export function packLike(original: KubeObject, changed: KubeObject): KubeObject {
  if ((packedStatus(original).compressedNodes ?? '') === '') return changed;
  const { nodes = {}, ...status } = packedStatus(changed);
  const compressedNodes = gzipSync(JSON.stringify(nodes)).toString('base64');
  return { ...changed, status: { ...status, compressedNodes } };
}
