import { after, before, describe, test } from 'node:test';
import { startScriptedBroker } from '../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { bindCases } from './cases/bind.ts';
import { catalogCases } from './cases/catalog.ts';
import { concurrencyCases } from './cases/concurrency.ts';
import { deprovisionCases } from './cases/deprovision.ts';
import { fetchCases } from './cases/fetch.ts';
import { handshakeCases } from './cases/handshake.ts';
import { orphanCases } from './cases/orphans.ts';
import { pollCases } from './cases/poll.ts';
import { provisionCases } from './cases/provision.ts';
import { refusalCases } from './cases/refusals.ts';
import { rotationCases } from './cases/rotation.ts';
import { unbindCases } from './cases/unbind.ts';
import { updateCases } from './cases/update.ts';
import { assertSameAnswers } from './support/compare-answers.ts';
import { type OsbCase, OsbPlayer } from './support/osb-player.ts';
import { type OsbStage, type StagedBrokerOptions, startOsbStage } from './support/osb-stage.ts';
import { directTarget, type OsbTarget } from './support/osb-target.ts';

type BrokerName = NonNullable<OsbCase['broker']>;

/** How long platforms wait for an answer, and how long an impatient one does. */
const patienceMs = 10_000;
const impatienceMs = 700;

/** Two brokers of each kind: the platform calls one directly and one through Chandlery. */
const brokerOptions: Readonly<Record<BrokerName, StagedBrokerOptions>> = {
  plain: {},
  gone: { broker: { endsDeletesWith: 410 } },
  impatient: { limits: { timeout_ms: impatienceMs, break_after_failures: 0 } },
};

let stage: OsbStage;
const stack = new AsyncDisposableStack();
const direct = new Map<BrokerName, OsbTarget>();
const through = new Map<BrokerName, OsbTarget>();

before(async () => {
  stage = stack.use(await startOsbStage());
  for (const [name, options] of Object.entries(brokerOptions) as [BrokerName, StagedBrokerOptions][]) {
    const broker = stack.use(await startScriptedBroker(options.broker));
    direct.set(name, directTarget(broker, name === 'impatient' ? impatienceMs : patienceMs));
    through.set(name, (await stage.addBroker(name, options)).target);
  }
});
after(() => stack.disposeAsync());

/** Plays the case on both paths at once and compares the responses. */
function playBoth({ why, broker: name = 'plain', play }: OsbCase, prefix: string): void {
  test(why, { concurrency: true }, async t => {
    const players = [direct, through].map(targets => new OsbPlayer(targets.get(name) as OsbTarget, prefix));
    const [asked, heard] = players as [OsbPlayer, OsbPlayer];
    await Promise.all(
      players.map(osb =>
        t.test(osb.isDirect ? 'asked directly' : 'through Chandlery', async () => {
          try {
            await play(osb);
          } finally {
            osb.broker.behave();
          }
        }),
      ),
    );
    await t.test('the same answers', () =>
      assertSameAnswers({ direct: asked.said, through: heard.said, brokerName: name }),
    );
  });
}

const sections: Readonly<Record<string, readonly OsbCase[]>> = {
  'Every request': handshakeCases,
  'The catalog': catalogCases,
  Provision: provisionCases,
  Update: updateCases,
  Deprovision: deprovisionCases,
  Bind: bindCases,
  Rotation: rotationCases,
  Unbind: unbindCases,
  Fetch: fetchCases,
  Polls: pollCases,
  Concurrency: concurrencyCases,
  Refusals: refusalCases,
  Orphans: orphanCases,
};

for (const [section, cases] of Object.entries(sections)) {
  describe(section, () => {
    for (const [index, one] of cases.entries()) playBoth(one, `${section.toLowerCase().replaceAll(' ', '-')}-${index}`);
  });
}
