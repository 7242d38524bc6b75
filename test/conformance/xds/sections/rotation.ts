import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findCondition } from '@chandlery/runtime';
import { startRootRotation } from '../../../../domains/mesh/src/certificates/start-root-rotation.ts';
import { callOnce, serveOnce } from '../../../../domains/mesh/src/certificates/test-handshake.ts';
import {
  type MeshRootCertificate,
  meshRootCertificates,
} from '../../../../domains/mesh/src/kinds/mesh-root-certificate.ts';
import type { MeshLandscape } from '../support/mesh-landscape.ts';
import { SidecarCertificates } from '../support/sidecar-certificates.ts';

/** Root rotation while workloads call each other. */
export function describeRotation(mesh: () => MeshLandscape): void {
  describe('Rotation', () => {
    test('30. traffic flows at each step of the exchange of the root', { timeout: 240_000 }, async () => {
      const platform = mesh().clientOf('platform');
      await using web = await SidecarCertificates.follow(mesh(), 'web-30');
      await using books = await SidecarCertificates.follow(mesh(), 'books-30');
      await using server = await serveOnce(books.context);
      const states = new Set<string>();
      const fresh = await startRootRotation(platform, { trustDomain: 'new.example' });
      const domains = new Set<string>();
      for (let isDone = false; !isDone; ) {
        server.setContext(books.context);
        const seen = await callOnce(server.port, web.context);
        for (const name of Object.values(seen)) domains.add(new URL(name.slice('URI:'.length)).host);
        const { items } = await platform.list<MeshRootCertificate>(meshRootCertificates.ref);
        states.add(items.map(({ spec }) => spec.role).join());
        const root = items.find(({ metadata }) => metadata.name === fresh.metadata.name) ?? assert.fail();
        isDone = findCondition(root, 'Rotated')?.status === 'True';
        const { waitingFor = [] } = root.status?.rotation ?? {};
        for (const sidecar of [web, books]) if (waitingFor.includes(sidecar.account)) await sidecar.reconnect();
        await sleep(50);
      }
      assert.equal(domains.size, 2, `certificates of both trust domains were shown: ${[...domains].join()}`);
      for (const state of ['active,passive', 'active,active', 'passive,active', 'active']) {
        assert.ok(states.has(state), `calls were made while the roots were ${state}; seen ${[...states].join(' ')}`);
      }
    });
  });
}
