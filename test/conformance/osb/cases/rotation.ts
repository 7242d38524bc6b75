import assert from 'node:assert/strict';
import { type OsbCase, own } from '../support/osb-player.ts';
import { bindBody, idsIn, idsOf } from '../support/requests.ts';
import { withInstance } from './bind.ts';

export const rotationCases: readonly OsbCase[] = [
  {
    why: 'a successor has the parameters of its predecessor, both hold, and the old one can go',
    play: async osb => {
      await withInstance(osb, 'rotatable');
      const body = bindBody('rotatable', { parameters: { role: 'reader' } });
      await osb.expect(201, 'PUT', osb.binding('i', 'old'), { body });
      const rotate = bindBody('rotatable', { predecessor_binding_id: osb.id('old') });
      await osb.expect(201, 'PUT', osb.binding('i', 'new'), { body: rotate });
      await osb.expect(200, 'PUT', osb.binding('i', 'new'), { body: rotate });
      assert.deepEqual(osb.broker.bindings.get(osb.id('new'))?.parameters, { role: 'reader' });
      await osb.expect(200, 'GET', osb.binding('i', 'old'));
      await osb.expect(200, 'DELETE', `${osb.binding('i', 'old')}?${idsOf('rotatable')}`);
      await osb.expect(200, 'GET', osb.binding('i', 'new'));
    },
  },
  {
    why: 'a request that names nothing but the predecessor is whole',
    play: async osb => {
      await withInstance(osb, 'rotatable');
      await osb.expect(201, 'PUT', osb.binding('i', 'old'), { body: bindBody('rotatable') });
      const body = { predecessor_binding_id: osb.id('old') };
      await osb.expect(201, 'PUT', osb.binding('i', 'new'), { body });
      // Brokers that exist want the ids as well, so Chandlery adds them.
      const expected = osb.isDirect ? body : { ...body, ...idsIn('rotatable') };
      assert.deepEqual(JSON.parse(osb.heard('PUT').body), expected);
    },
  },
  {
    why: 'a predecessor that is unknown, of another instance, or of a plan without rotation: 400',
    play: async osb => {
      await withInstance(osb, 'rotatable', 'i');
      await withInstance(osb, 'rotatable', 'j');
      await withInstance(osb, 'sync', 'k');
      await osb.expect(201, 'PUT', osb.binding('j', 'of-j'), { body: bindBody('rotatable') });
      await osb.expect(201, 'PUT', osb.binding('k', 'of-k'), { body: bindBody('sync') });
      const cases = [
        { instance: 'i', plan: 'rotatable', predecessor: 'nothing' },
        { instance: 'i', plan: 'rotatable', predecessor: 'of-j' },
        { instance: 'k', plan: 'sync', predecessor: 'of-k' },
      ];
      for (const { instance, plan, predecessor } of cases) {
        const body = bindBody(plan, { predecessor_binding_id: osb.id(predecessor) });
        await osb.expect(own(400), 'PUT', osb.binding(instance, 'new'), { body });
      }
      assert.equal(osb.broker.bindings.has(osb.id('new')), false);
    },
  },
];
