import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/api.ts';
import { router } from './app/router.tsx';
import { SignedIn } from './app/signIn.tsx';
import { ToastProvider } from './ui/toast.tsx';
import { WordsProvider } from './words/words.tsx';
import './styles.css';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the console.');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <WordsProvider>
        <QueryClientProvider client={queryClient}>
          <ToastProvider>
            <SignedIn>
              <RouterProvider router={router} />
            </SignedIn>
          </ToastProvider>
        </QueryClientProvider>
      </WordsProvider>
    </CSPProvider>
  </StrictMode>,
);
