import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Download, X } from 'lucide-react';
import { api, queryClient, type Item } from '../../api/api.ts';
import { listQuery } from '../../api/queries.ts';
import { settingsQuery, useSettingsChange, type Settings } from '../../api/settingsQuery.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Select } from '../../ui/field.tsx';
import { Loaded, Section } from '../../ui/page.tsx';
import { saveLines } from '../../ui/saveFile.ts';
import { Table } from '../../ui/table.tsx';
import { Badge, Remembered, When } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useFormat, useWords } from '../../words/words.tsx';
import { usageQuery, type RecallUsage } from './usageQuery.ts';

type Feedback = Item<'listFeedback'>;

export function Quality() {
  const w = useWords();
  const memoryId = useMemoryId();
  const query = useQuery(usageQuery(memoryId));
  return (
    <>
      <Loaded query={query}>
        {(usage) =>
          usage.recalls === 0 ? (
            <p className="mb-8 text-soft">{w.operate.recallsNone}</p>
          ) : (
            <>
              <Outcomes usage={usage} />
              <Profiles usage={usage} />
            </>
          )
        }
      </Loaded>
      <Comparing />
      <FeedbackList />
    </>
  );
}

const SHADES = { injected: 'bg-accent', silent: 'bg-accent/45', empty: 'bg-line-strong' } as const;

function Outcomes({ usage: { recalls, outcomes } }: { readonly usage: RecallUsage }) {
  const w = useWords();
  const f = useFormat();
  const names = ['injected', 'silent', 'empty'] as const;
  return (
    <Section title={w.operate.tabs.quality} about={w.operate.outcomesAbout(recalls)}>
      <div className="flex h-3 gap-px overflow-hidden rounded-full bg-sunken" aria-hidden>
        {names.map((name) => (
          <span
            key={name}
            className={SHADES[name]}
            style={{ width: `${(100 * outcomes[name]) / recalls}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-6 gap-y-1 text-sm text-soft">
        {names.map((name) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`size-2.5 rounded-sm ${SHADES[name]}`} aria-hidden />
            {w.operate.outcomes[name]}
            <span className="tabular-nums">
              {f.number(outcomes[name])} ({f.percent(outcomes[name] / recalls)})
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Profiles({ usage }: { readonly usage: RecallUsage }) {
  const w = useWords();
  const f = useFormat();
  const interval = ({ share, low, high }: { share: number; low: number; high: number }) =>
    `${f.percent(share)} (${f.percent(low)}–${f.percent(high)})`;
  return (
    <Section title={w.operate.compare} about={w.operate.compareAbout}>
      <Table
        heads={[
          w.operate.profile,
          w.operate.calls,
          w.operate.injected,
          w.feedback.helped,
          w.feedback.wrong,
          w.operate.helpedShare,
        ]}
        figuresFrom={1}
        rows={usage.profiles.map(({ profile, recalls, injected, helped, wrong, helpedShare }) => ({
          key: profile,
          cells: [
            profile,
            `${f.number(recalls)} (${f.percent(recalls / usage.recalls)})`,
            interval(injected),
            f.number(helped),
            f.number(wrong),
            helpedShare === null ? '–' : interval(helpedShare),
          ],
        }))}
      />
    </Section>
  );
}

const ARMS = ['fast', 'salience', 'associative', 'weighted'] as const;
const SHARES = [0.1, 0.25, 0.5] as const;

/** The profile that ranks a share of the chats for comparison. */
function Comparing() {
  const query = useQuery(settingsQuery);
  return <Loaded query={query}>{(settings) => <CompareChoice settings={settings} />}</Loaded>;
}

function CompareChoice({ settings: { compare } }: { readonly settings: Settings }) {
  const w = useWords();
  const f = useFormat();
  const change = useSettingsChange(w.operate.personaSaved);
  const options = [
    ['', w.operate.compareOff] as const,
    ...ARMS.flatMap((arm) =>
      SHARES.map((share) => [`${arm}/${share}`, w.operate.compareShare(f.percent(share), arm)] as const),
    ),
  ];
  const value = compare === null ? '' : `${compare.profile}/${compare.share}`;
  const shown = options.some(([id]) => id === value) ? options : [...options, [value, value] as const];
  return (
    <label className="mb-10 flex flex-wrap items-center gap-3 text-sm text-soft">
      {w.operate.compare}
      <Select
        label={w.operate.compare}
        value={value}
        options={shown}
        onChoose={(chosen) => {
          const [profile = '', share = '0'] = chosen.split('/');
          change.mutate({ compare: chosen === '' ? null : { profile, share: Number(share) } });
        }}
      />
    </label>
  );
}

function FeedbackList() {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const query = useInfiniteQuery(
    listQuery([memoryId, 'feedback'], (cursor, signal) =>
      api.listFeedback({ memoryId, query: { ...(cursor !== undefined && { cursor }) } }, { signal }),
    ),
  );
  const save = useMutation({
    mutationFn: async () => {
      for (const file of ['history', 'queries'] as const)
        await saveLines(api.exportFeedback({ memoryId, query: { file } }), `${file}.jsonl`);
    },
    onError: tell.failed,
  });
  return (
    <Section title={w.operate.feedback}>
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <p className="text-soft">{w.operate.feedbackNone}</p>
          ) : (
            <>
              <ul>
                {items.map((feedback) => (
                  <FeedbackRow key={feedback.id} feedback={feedback} />
                ))}
              </ul>
              <div className="mt-5 flex max-w-xl flex-col gap-2">
                <Button
                  icon={Download}
                  className="self-start"
                  disabled={save.isPending}
                  onClick={() => save.mutate()}
                >
                  {w.operate.feedbackExport}
                </Button>
                <p className="text-sm text-soft">{w.operate.feedbackTune}</p>
                <Copyable
                  text={`omoide feedback ./feedback --memory ${memoryId} && omoide eval ./feedback --tune`}
                />
              </div>
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function FeedbackRow({ feedback }: { readonly feedback: Feedback }) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => api.removeFeedback({ memoryId, feedbackId: feedback.id }),
    onSuccess: () => tell.done(w.feedback.undone),
    onError: tell.failed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: [memoryId] }),
  });
  return (
    <li className="flex items-start gap-3 border-b border-line py-3">
      <div className="min-w-0 flex-1">
        <Remembered text={feedback.utterance} lines={2} className="text-base" />
        <p className="mt-1 flex flex-wrap items-center gap-3 text-sm text-faint">
          <Badge tone={feedback.verdict === 'helped' ? 'good' : 'bad'}>{w.feedback[feedback.verdict]}</Badge>
          <span>{feedback.profile}</span>
          <When at={feedback.at} with="time" />
        </p>
      </div>
      <IconButton
        label={w.common.undo}
        icon={X}
        disabled={remove.isPending}
        onClick={() => remove.mutate()}
      />
    </li>
  );
}
