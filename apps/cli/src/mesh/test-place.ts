import { startTestControlPlane, type TestControlPlane } from './test-control-plane.ts';
import { type ScriptedAnswer, startTestMeshServer, type TestMeshServer } from './test-mesh-server.ts';
import { createTestSigner, type TestSigner } from './test-signer.ts';

/** A landscape that certifies all requests and reports the port of its control plane. */
export interface TestPlace extends AsyncDisposable {
  readonly signer: TestSigner;
  readonly mesh: TestMeshServer;
  readonly controlPlane: TestControlPlane;
  /** A response to all requests instead. Default: none. */
  answer?: ScriptedAnswer | undefined;
}

export const away: ScriptedAnswer = { status: 503, body: { code: 'ServiceUnavailable', message: 'away' } };
export const refused: ScriptedAnswer = { status: 403, body: { code: 'Forbidden', message: 'not you' } };

export async function startTestPlace(): Promise<TestPlace> {
  const signer = createTestSigner();
  const mesh = await startTestMeshServer(request => place.answer ?? signer.script(request));
  const controlPlane = await startTestControlPlane(signer);
  signer.xdsPort = controlPlane.port;
  const place: TestPlace = {
    signer,
    mesh,
    controlPlane,
    [Symbol.asyncDispose]: async () => {
      await controlPlane[Symbol.asyncDispose]();
      await mesh[Symbol.asyncDispose]();
    },
  };
  return place;
}
