import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import { type OsbCase, type OsbPlayer, own } from '../support/osb-player.ts';

interface Offering {
  readonly plans: readonly JsonObject[];
  readonly metadata?: JsonObject;
  readonly [field: string]: unknown;
}

async function offeringsOf(osb: OsbPlayer): Promise<readonly Offering[]> {
  const { services } = await osb.expect(own(200), 'GET', '/catalog');
  return services as unknown as Offering[];
}

/** Without what Chandlery adds to the metadata. */
function withoutIds({ metadata, ...rest }: JsonObject | Offering): object {
  const { sm_offering_id: _offering, sm_plan_id: _plan, ...kept } = (metadata ?? {}) as JsonObject;
  return Object.keys(kept).length === 0 ? rest : { ...rest, metadata: kept };
}

export const catalogCases: readonly OsbCase[] = [
  {
    why: 'says of every offering and plan what must be said',
    play: async osb => {
      const offerings = await offeringsOf(osb);
      assert.deepEqual(
        offerings.map(({ name }) => name),
        ['database', 'queue'],
      );
      for (const offering of offerings) {
        for (const field of ['id', 'name', 'description']) assert.equal(typeof offering[field], 'string', field);
        assert.equal(typeof offering['bindable'], 'boolean');
        assert.ok(offering.plans.length > 0);
        for (const plan of offering.plans)
          for (const field of ['id', 'name', 'description']) assert.equal(typeof plan[field], 'string', field);
      }
    },
  },
  {
    why: 'is word for word what the broker offers, but for the ids and reference plans that Chandlery adds',
    play: async osb => {
      const offerings = await offeringsOf(osb);
      const bare = offerings.map(offering => ({
        ...withoutIds(offering),
        plans: offering.plans.filter(({ name }) => name !== 'reference-instance').map(withoutIds),
      }));
      assert.deepEqual(bare, defaultCatalog().services);
    },
  },
  {
    why: 'has one tag as long as it does not change',
    play: async osb => {
      await osb.expect(own(200), 'GET', '/catalog');
      const etag = osb.last.headers.get('etag');
      // Tags are for brokers to have or not to have: the scripted one has none.
      if (osb.isDirect) return;
      assert.match(etag ?? '', /^"[^"]+"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
        assert.equal((await osb.target.send('GET', '/catalog', { headers: { 'if-none-match': known } })).status, 304);
      const other = await osb.target.send('GET', '/catalog', { headers: { 'if-none-match': '"other"' } });
      assert.deepEqual([other.status, other.headers.get('etag')], [200, etag]);
    },
  },
];
