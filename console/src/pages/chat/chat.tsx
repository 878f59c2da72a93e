import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { MessagesSquare } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { healthQuery } from '../../api/queries.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Failed, Page } from '../../ui/page.tsx';
import { Sender } from '../../ui/sender.tsx';
import { Remembered } from '../../ui/text.tsx';
import { UnitSheet } from '../../unit/unitSheet.tsx';
import { useWords } from '../../words/words.tsx';
import { TracePanel } from './trace.tsx';
import { useExchanges, type Exchange } from './useExchanges.ts';

const route = getRouteApi('/m/$memoryId/chat');

export default function ChatPage() {
  const w = useWords();
  const memoryId = useMemoryId();
  return (
    <Page {...w.pages.chat} width="wide">
      <Talk key={memoryId} />
    </Page>
  );
}

function Talk() {
  const w = useWords();
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/chat' });
  const { data: health, isPending: isAsking } = useQuery(healthQuery);
  const hasModel = health?.models.chat === true;
  const { exchanges, say, stop, isBusy } = useExchanges(hasModel);
  const [chosen, setChosen] = useState<number | null>(null);
  const [unitId, setUnitId] = useState<number | null>(null);
  const asked = useRef<string | null>(null);
  useEffect(() => {
    // A question in the address is asked once and not sent to the companion.
    if (q === undefined || health === undefined || asked.current === q) return;
    asked.current = q;
    say(q, { isOnlyRecalled: true });
    void navigate({ to: '.', search: {}, replace: true });
  }, [q, health, say, navigate]);
  const shown = exchanges.find(({ id }) => id === chosen) ?? exchanges.at(-1);
  return (
    <div className="grid gap-8 xl:grid-cols-[minmax(0,1fr)_minmax(0,1.05fr)]">
      <div className="flex min-h-[30vh] flex-col xl:min-h-[55vh]">
        <div className="flex-1">
          {exchanges.length === 0 && (
            <Empty icon={MessagesSquare} title={w.chat.empty}>
              {hasModel ? w.chat.emptyWithModel : w.chat.emptyWithoutModel}
            </Empty>
          )}
          <ol className="flex flex-col gap-6">
            {exchanges.map((exchange) => (
              <li key={exchange.id}>
                <Said
                  exchange={exchange}
                  isShown={exchange === shown}
                  onShow={() => setChosen(exchange.id)}
                />
              </li>
            ))}
          </ol>
        </div>
        <div className="sticky bottom-4 mt-6">
          <Sender
            label={w.chat.say}
            placeholder={hasModel ? w.chat.sayHint : w.chat.askHint}
            sendLabel={w.chat.send}
            // Sending is disabled until it is known whether there is a chat model.
            isBusy={isBusy || isAsking}
            onStop={stop}
            onSend={(text) => {
              setChosen(null);
              say(text);
            }}
          />
        </div>
      </div>
      <div className="min-w-0 xl:border-l xl:border-line xl:pl-8">
        {shown && <TracePanel key={shown.id} exchange={shown} onOpenUnit={setUnitId} />}
      </div>
      <UnitSheet unitId={unitId} onClose={() => setUnitId(null)} />
    </div>
  );
}

interface SaidProps {
  readonly exchange: Exchange;
  readonly isShown: boolean;
  readonly onShow: () => void;
}

function Said({ exchange, isShown, onShow }: SaidProps) {
  const w = useWords();
  const { text, reply, error, isWaiting, pack } = exchange;
  const count = pack?.recall.inject ? pack.sections.reduce((sum, { shown }) => sum + shown, 0) : 0;
  return (
    <div className={clsx('rounded-2xl px-4 py-3', isShown && 'bg-sunken/60')}>
      <Remembered text={text} className="font-medium" />
      {reply !== null && (
        <div aria-live="polite" className="mt-3 border-l-2 border-accent pl-4">
          {reply === '' && isWaiting ? (
            <p className="breathing text-soft">{w.chat.thinking}</p>
          ) : (
            <Remembered text={reply} />
          )}
        </div>
      )}
      {error !== null && (
        <div className="mt-3">
          <Failed error={error} />
        </div>
      )}
      {pack && (
        <Button look="quiet" className="mt-2 -ml-3 text-sm" aria-pressed={isShown} onClick={onShow}>
          {count === 0 ? w.chat.nothingInjected : w.chat.injected(count)}
        </Button>
      )}
    </div>
  );
}
