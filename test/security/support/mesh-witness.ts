import assert from 'node:assert/strict';
import { setEndpoints } from '../../conformance/xds/support/declare-service.ts';
import { type MeshLandscape, portName } from '../../conformance/xds/support/mesh-landscape.ts';
import { addressesIn, type TestProxy } from '../../conformance/xds/support/test-proxy.ts';

const watched = 'catalog';
const name = portName(watched);

/** A well-behaved proxy that subscribes to one service, and detects delays and wrong responses. */
export class MeshWitness implements AsyncDisposable {
  readonly #mesh: MeshLandscape;
  readonly #proxy: TestProxy;
  #changes = 0;

  private constructor(mesh: MeshLandscape, proxy: TestProxy) {
    this.#mesh = mesh;
    this.#proxy = proxy;
  }

  static async start(mesh: MeshLandscape): Promise<MeshWitness> {
    const proxy = await mesh.proxy({ account: 'web', nodeId: 'witness', stream: { autoAck: true } });
    proxy.ask('endpoints', [name]);
    await proxy.next('endpoints');
    return new MeshWitness(mesh, proxy);
  }

  /** Changes its service several times; each change must arrive once and in order. */
  async seesChanges(count = 3): Promise<void> {
    for (let no = 0; no < count; no++) {
      const ip = `10.7.${Math.floor(++this.#changes / 250)}.${this.#changes % 250}`;
      await setEndpoints(this.#mesh.client, { name: watched, endpoints: [{ ip }] });
      const response = await this.#proxy.next('endpoints');
      assert.deepEqual(addressesIn(this.#proxy, response), [`${ip}:8080`]);
    }
  }

  /** Its stream is still the first one, and it got each change once. */
  expectUndisturbed(): void {
    assert.equal(this.#proxy.stream.end, undefined);
    assert.equal(this.#proxy.responses('endpoints').length, this.#changes + 1);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#proxy[Symbol.asyncDispose]();
  }
}
