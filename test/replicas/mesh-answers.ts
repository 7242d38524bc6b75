import assert from 'node:assert/strict';
import { type ResourceType, resourceTypes, typeUrls } from '../../domains/mesh/src/model/resource.ts';
import { secretNames } from '../../domains/mesh/src/model/resource-names.ts';
import { otherMethods } from '../../domains/mesh/src/server/discovery/discovery-methods.ts';
import { TestByteCall } from '../../domains/mesh/src/test-xds-client/test-byte-call.ts';
import type { TestTls } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import {
  decodeDeltaResponse,
  decodeResponse,
  encodeDeltaRequest,
  encodeRequest,
  type ReceivedResponse,
} from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import type { StreamMode } from '../../domains/mesh/src/xds/messages.ts';
import { envoyMetadata, type MeshLandscape, portName } from '../conformance/xds/support/mesh-landscape.ts';

/** A client and its subscriptions. */
export interface Asked {
  readonly account: string;
  readonly tls: TestTls;
  readonly mode: StreamMode;
  /** Services of the endpoints and routes. */
  readonly services: readonly string[];
}

/** A response in encoded and decoded form. */
export interface RawAnswer extends ReceivedResponse {
  readonly bytes: Buffer;
}

const secrets = [secretNames.inboundRoots];

/** The first responses of a replica to a proxy without state, one for each type. */
export async function firstAnswers(
  mesh: MeshLandscape,
  { account, tls, mode, services }: Asked,
): Promise<ReadonlyMap<ResourceType, RawAnswer>> {
  await using connection = await mesh.connect({ account }, tls);
  const method = mode === 'sotw' ? otherMethods.aggregated : otherMethods.aggregatedDelta;
  const call = new TestByteCall(connection.connection.session, method);
  const ports = services.map(name => portName(name));
  const names = { cluster: [], endpoints: ports, listener: [], route: ports, secret: secrets };
  const answers = new Map<ResourceType, RawAnswer>();
  for (const type of resourceTypes) {
    const typeUrl = typeUrls[type];
    const introduction = { node: { id: account, userAgentName: 'envoy', metadata: envoyMetadata }, typeUrl };
    const asked = names[type];
    call.send(
      mode === 'sotw'
        ? encodeRequest({ ...introduction, names: asked })
        : encodeDeltaRequest({ ...introduction, subscribe: asked }),
    );
    const bytes = await call.next();
    const answer = mode === 'sotw' ? decodeResponse(bytes) : decodeDeltaResponse(bytes);
    assert.equal(answer.typeUrl, typeUrl);
    answers.set(type, { ...answer, bytes });
    const { nonce, version } = answer;
    call.send(
      mode === 'sotw'
        ? encodeRequest({ typeUrl, nonce, version, names: asked })
        : encodeDeltaRequest({ typeUrl, nonce }),
    );
  }
  return answers;
}
